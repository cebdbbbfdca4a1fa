/** A word of a command line, which no character in it ends. */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
