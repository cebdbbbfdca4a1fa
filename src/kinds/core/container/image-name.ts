const PATH = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*(?:\/[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*)*$/
const DOMAIN = /^[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?(?::[0-9]+)?$/
const TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/

/** `Always` for the tag `latest`, said or implied, else `IfNotPresent`; an invalid image reference has no tag. */
export const pullPolicyOf = (image: string): string => (tagOf(image) === 'latest' ? 'Always' : 'IfNotPresent')

/** The tag of an image reference: `latest` if it has neither tag nor digest, '' if it has only a digest or is none. */
export function tagOf(image: string): string {
  const digest = image.indexOf('@')
  const named = digest < 0 ? image : image.slice(0, digest)
  const colon = named.lastIndexOf(':')
  const tagged = colon > named.lastIndexOf('/')
  if (!isRepository(tagged ? named.slice(0, colon) : named)) return ''
  if (tagged) return TAG.test(named.slice(colon + 1)) ? named.slice(colon + 1) : ''
  return digest < 0 ? 'latest' : ''
}

function isRepository(name: string): boolean {
  if (PATH.test(name)) return true
  const slash = name.indexOf('/')
  return slash > 0 && DOMAIN.test(name.slice(0, slash)) && PATH.test(name.slice(slash + 1))
}
