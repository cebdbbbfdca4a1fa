import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '../src/machinery/object.ts'
import { Store } from '../src/store/store.ts'

/**
 * Figures of the store, one JSON line each. `node bench/store.ts [directory]`: the directory's disk is what is measured
 * (default: the temporary directory). With `fill directory` it only fills a store, in a process of its own so that the
 * memory of opening one is not mixed with that of filling it.
 */
const seconds = 3
const objects = 100_000

function pod(name: string, size: number): KubeObject {
  const text = 'x'.repeat(size - 160)
  const metadata = { name, namespace: 'bench', labels: { app: 'bench' }, annotations: { text } }
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata,
    spec: { containers: [{ name: 'main', image: 'registry/image:1' }] },
  }
}

function report(figure: string, value: number, unit: string): void {
  console.log(JSON.stringify({ bench: 'store', figure, value: Math.round(value * 100) / 100, unit }))
}

async function durableWrites(directory: string, writers: number, size: number): Promise<void> {
  const store = await Store.open({ directory: join(directory, `writers-${writers}-${size}`) })
  const object = pod('pod', size)
  let count = 0
  const cpu = process.cpuUsage()
  const start = performance.now()
  const end = start + seconds * 1000
  async function write(writer: number): Promise<void> {
    for (let n = 0; performance.now() < end; n++) {
      await store.commit([{ type: 'put', bucket: 'pods', key: `bench/${writer}-${n}`, object, expect: 'absent' }])
      count++
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  const elapsed = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  report(`durable writes of ${size} B, ${writers} writers`, count / elapsed, '1/s')
  report(`CPU of both threads per write, ${size} B, ${writers} writers`, (user + system) / count, 'us')
  await store.close()
  const again = await Store.open({ directory: join(directory, `writers-${writers}-${size}`) })
  if (again.list('pods').records.length !== count) throw new Error('what was acknowledged is not what is there')
  await again.close()
}

async function fill(where: { readonly directory: string }): Promise<void> {
  const store = await Store.open(where)
  for (let n = 0; n < objects; n += 1000) {
    const writes = Array.from({ length: 1000 }, (_, i) => {
      const name = `pod-${(((n + i) * 7919) % objects).toString().padStart(6, '0')}`
      return { type: 'put', bucket: 'pods', key: `ns-${(n + i) % 100}/${name}`, object: pod(name, 2000) } as const
    })
    await store.commit(writes)
  }
  await store.close()
}

async function largeStore(directory: string): Promise<void> {
  const where = { directory: join(directory, 'large') }
  spawnSync(process.execPath, [import.meta.filename, 'fill', where.directory], { stdio: 'inherit' })
  const start = performance.now()
  const store = await Store.open(where)
  report(`opening ${objects} objects of 2 kB`, performance.now() - start, 'ms')
  globalThis.gc?.()
  report('resident memory with them', process.memoryUsage.rss() / 1024 / 1024, 'MiB')
  report('JavaScript heap with them', process.memoryUsage().heapUsed / 1024 / 1024, 'MiB')

  const listed = performance.now()
  let pages = 0
  let after: string | undefined
  do {
    const page = store.list('pods', { limit: 500, after, at: store.revision })
    after = page.next
    pages++
  } while (after !== undefined)
  report('a page of 500 records with its remaining count', ((performance.now() - listed) * 1000) / pages, 'us')

  const matched = performance.now()
  store.list('pods', { matches: ({ object }) => object.metadata.labels?.['app'] === 'other' })
  report(`filtering ${objects} objects by label, nothing parsed before`, performance.now() - matched, 'ms')
  await store.close()
}

async function measure(parent: string): Promise<void> {
  const directory = mkdtempSync(join(parent, 'allot-bench-store-'))
  try {
    await largeStore(directory)
    for (const size of [500, 2000]) for (const writers of [1, 64]) await durableWrites(directory, writers, size)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

const [first, second] = process.argv.slice(2)
await (first === 'fill' && second !== undefined ? fill({ directory: second }) : measure(first ?? tmpdir()))
