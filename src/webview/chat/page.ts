import '../page/loadPageLanguage';

// Constants of modules are translated when they are evaluated, so the rest of the page comes after its language.
void import('./main');
