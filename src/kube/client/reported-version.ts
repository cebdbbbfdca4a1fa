import type { CallOptions, KubeClient } from './kube-client.ts'
import { textAt } from '../../machinery/read.ts'

export interface ServerVersion {
  readonly major: number
  readonly minor: number
  /** `v1.20.15`, as the server words it. */
  readonly gitVersion: string
}

/** The version that `/version` reports; some distributions write the minor one as `27+`. */
export async function serverVersion(
  client: Pick<KubeClient, 'request'>,
  options: CallOptions = {},
): Promise<ServerVersion> {
  const answer = await client.request('GET', '/version', undefined, options)
  const read = (field: string): string => textAt(answer, field)
  const number = (field: string): number => Number.parseInt(read(field), 10) || 0
  return { major: number('major'), minor: number('minor'), gitVersion: read('gitVersion') }
}
