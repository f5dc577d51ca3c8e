import '../page/loadPageLanguage';

// Imported after the translations are set: constants of modules are translated when they are evaluated.
void import('./main');
