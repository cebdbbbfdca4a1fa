/** What a line about an object that cannot be measured begins with (`uncountedText`). Namespaces have no `/`. */
const ABOUT_OBJECT = /^(?:get usage from|evaluate selectors for) ([^/\s]*)\//

/**
 * The lines of the condition `Ready` of a quota without those about objects of namespaces that are not to be shown. The quota of many namespaces names
 * objects of all of them.
 */
export const shownProblems = (message: string, isShown: (namespace: string) => boolean): string =>
  message
    .split('\n')
    .filter((line) => {
      const [, namespace] = ABOUT_OBJECT.exec(line) ?? []
      return namespace === undefined || isShown(namespace)
    })
    .join('\n')
