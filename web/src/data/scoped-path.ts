/** A path that is asked about one namespace; of all where that is empty. */
export const scopedPath = (path: string, namespace: string): string =>
  namespace === '' ? path : `${path}?namespace=${encodeURIComponent(namespace)}`
