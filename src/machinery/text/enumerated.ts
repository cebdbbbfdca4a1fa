/** Texts as a sentence lists them: `a, b and c`. */
export const enumerated = (texts: readonly string[]): string =>
  [texts.slice(0, -1).join(', '), ...texts.slice(-1)].filter((one) => one !== '').join(' and ')
