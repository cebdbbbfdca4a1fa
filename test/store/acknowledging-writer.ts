import { writeSync } from 'node:fs'
import type { KubeObject } from '../../src/machinery/object.ts'
import { Store } from '../../src/store/store.ts'
import type { StoreOptions } from '../../src/store/store.ts'

/**
 * A process that writes until it is killed (or `commits` are done) and tells what was acknowledged, one JSON line each:
 * `node acknowledging-writer.ts '{"directory", "writers", "commits"?, "run", "options"?}'`.
 *
 * A commit of writer w puts `pairs/w-left` and `pairs/w-right` with the same nonce, makes or deletes `extras/w`, and adds
 * `kept/<nonce>`: half a transaction would show.
 */
interface Task {
  readonly directory: string
  readonly writers: number
  readonly commits?: number
  /** Makes nonces unique over several processes. */
  readonly run: string
  readonly options?: StoreOptions
}

/** An acknowledgement: the nonce of the commit, its first revision and its number of writes. */
export interface Acknowledgement {
  readonly nonce: string
  readonly revision: number
  readonly writes: number
}

const { directory, writers, commits = Infinity, run, options = {} }: Task = JSON.parse(process.argv[2] ?? '{}')
const store = await Store.open({ directory }, options)
// Written at once and by a plain write(2): the trace shows it between the calls of the log.
const tell = (line: unknown): number => writeSync(1, `${JSON.stringify(line)}\n`)
tell({ opened: store.revision })

function thing(name: string, nonce: string): KubeObject {
  return { kind: 'Thing', apiVersion: 'v1', metadata: { name }, nonce, padding: 'p'.repeat(300) }
}

async function write(writer: number): Promise<void> {
  for (let n = 0; n < commits; n++) {
    const nonce = `${run}-${writer}-${n}`
    const put = (bucket: string, key: string) => ({ type: 'put', bucket, key, object: thing(key, nonce) }) as const
    const extra = `${writer}`
    const [first] = await store.commit([
      put('pairs', `${writer}-left`),
      put('kept', nonce),
      store.latest('extras', extra) === undefined
        ? put('extras', extra)
        : ({ type: 'delete', bucket: 'extras', key: extra } as const),
      put('pairs', `${writer}-right`),
    ])
    tell({ nonce, revision: first?.revision ?? 0, writes: 4 } satisfies Acknowledgement)
  }
}

await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
await store.close()
