/** Ids of the views in package.json. */
export const CHAT_VIEW = 'parley.chat';
export const SESSIONS_VIEW = 'parley.sessions';
