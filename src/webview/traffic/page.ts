import '../page/loadPageLanguage';

// Module constants are translated when evaluated, so the page is imported after its language.
void import('./main');
