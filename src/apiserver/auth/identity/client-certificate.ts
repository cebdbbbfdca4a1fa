import type { PresentedCertificate } from '../../../runtime/http/shown-credential.ts'
import { AUTHENTICATED, type Caller } from '../../../machinery/caller.ts'

/** Whose certificate it is, and until when: CN is the user, each O a group. Undefined when it names no user. */
export function certificateCaller({
  subject,
  fingerprint256,
  valid_to: until,
}: PresentedCertificate['certificate']): { readonly caller: Caller; readonly expires: number } | undefined {
  const [name = ''] = valuesOf(subject.CN)
  if (name === '') return undefined
  const groups = valuesOf(subject.O)
  return {
    caller: {
      name,
      groups: groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED],
      extra: {
        'authentication.kubernetes.io/credential-id': [
          `X509SHA256=${fingerprint256.replaceAll(':', '').toLowerCase()}`,
        ],
      },
    },
    expires: Date.parse(until),
  }
}

const valuesOf = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : typeof value === 'string' ? [value] : value
