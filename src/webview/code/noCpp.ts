/**
 * In place of Shiki's grammar of C++, which only the grammar of Ruby asks for here: 600 KB for C++ within a text in Ruby. It is a language
 * without patterns; the name must be known to the grammars that embed it.
 */
const lang = { name: 'cpp', scopeName: 'source.cpp', patterns: [], repository: {} };

// oxlint-disable-next-line import/no-default-export -- as Shiki's grammars do
export default [lang];
