/** Scheme and host of a request target in absolute form, which servers have to take (RFC 9112, section 3.2.2). */
const ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i

/** The target as path and query; nothing here depends on the host that is asked for. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target
  const rest = target.replace(ORIGIN, '')
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`
}
