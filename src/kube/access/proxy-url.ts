const USABLE: ReadonlySet<string> = new Set(['http:', 'https:'])

/** Why a proxy cannot be used, without its address: user and password stand in it. Undefined: it can. */
export function proxyProblem(url: string): string | undefined {
  if (!URL.canParse(url)) return 'must be a URL'
  const { protocol, hostname } = new URL(url)
  if (!USABLE.has(protocol)) return `${protocol}// proxies are not supported, only http:// and https://`
  return hostname === '' ? 'it names no host' : undefined
}
