import { type FieldError, invalid } from '../../../machinery/field-error.ts'

const NETBIOS = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/
const DNS_LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const DNS_NAME = new RegExp(`^${DNS_LABEL}(?:\\.${DNS_LABEL})*$`)
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\x00-\x1f\x7f]/
const MAX_DOMAIN = 256
const MAX_USER = 104

/** The errors in `runAsUserName`: `DOMAIN\user`, or `user`. */
export function validateWindowsUser(name: string, path: string): readonly FieldError[] {
  return problems(name).map((text) => invalid(path, name, text))
}

function problems(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string']
  if (CONTROL.test(name)) return ['runAsUserName cannot contain control characters']
  const parts = name.split('\\')
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash']
  const user = parts.at(-1) ?? ''
  const domain = parts.length === 2 ? (parts[0] ?? '') : undefined
  const found: string[] = []
  if (domain !== undefined && domain.length >= MAX_DOMAIN)
    found.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN} characters`)
  if (domain !== undefined && !NETBIOS.test(domain) && !DNS_NAME.test(domain))
    found.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
  if (user === '') found.push("runAsUserName's User cannot be empty")
  else if (user.length > MAX_USER)
    found.push(`runAsUserName's User length must not be longer than ${MAX_USER} characters`)
  if (/^[. ]+$/.test(user)) found.push("runAsUserName's User cannot contain only periods or spaces")
  if (/["/\\:;|=,+*?<>@[\]]/.test(user))
    found.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]')
  return found
}
