/** `${input:name}` or `${input:name:description}`. Limited: a file of openings without an end would take quadratic time. */
export const INPUT_PLACEHOLDER = /\$\{input:([^}:]{1,100})(?::([^}]{0,1000}))?\}/g;
