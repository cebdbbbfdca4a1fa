/** A label of RFC 1123, as the API server demands it of namespaces. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** Can there be a namespace of this name? */
export const isNamespaceName = (text: string): boolean => NAME.test(text)

export const noNamespaceText = (text: string): string =>
  `“${text}” is no name of a namespace. A name has at most 63 lower-case letters, digits and -.`
