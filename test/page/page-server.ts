import { type Operated, type OperatedOptions, operatedServers } from '../operator/operated.ts'

/** Starts `allot up` as users do, with the dashboard. */
export async function startPageServer(options: OperatedOptions = {}): Promise<Operated> {
  const [up] = operatedServers
  if (up === undefined) throw new Error('there is no allot up')
  return await up.start(options)
}
