import { isDNS1123Subdomain } from '../../machinery/names.ts'

/** The object that a command line names. */
export interface NamedObject {
  /** A word for its kind, as people write it. */
  readonly kind: string
  readonly name: string
}

/** The object that `KIND NAME` or `KIND/NAME` names; undefined where manifests take its place; a text says why the words make no sense. */
export function namedObject(
  kind: string | undefined,
  name: string | undefined,
  files: readonly string[],
): NamedObject | undefined | string {
  if (files.length > 0) return kind === undefined ? undefined : 'a kind cannot be given with --filename'
  if (kind === undefined)
    return 'no object is named: give a kind and a name, such as deployment web, or manifests with -f'
  const [word = '', ...more] = kind.split('/')
  const names = [...more, ...(name === undefined ? [] : [name])]
  const [found] = names
  if (word === '' || found === undefined || names.length > 1)
    return `${JSON.stringify(names.length > more.length ? `${kind} ${name}` : kind)} is no kind and name, such as deployment web or deployment/web`
  return isDNS1123Subdomain(found).length === 0
    ? { kind: word, name: found }
    : `${JSON.stringify(found)} is no name of an object (RFC 1123 subdomain)`
}
