const WARNING = /299 - "((?:[^"\\]|\\.)*)"/g

/** The texts of the headers `Warning` as the dashboard writes them. Browsers join several headers, and give their bytes as Latin-1. */
export const warningTexts = (header: string): readonly string[] =>
  [...header.matchAll(WARNING)].map(([, quoted = '']) => {
    const bytes = quoted.replaceAll(/\\(.)/g, '$1')
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)))
  })
