// How far one create under one custom quota goes through the running program, `allot run` beside a real API server: the functions and the
// files that it enters until its answer, how often it comes back to a file that it had left, how often it reads the ledger, and how often
// it decides. Nothing but this create goes on meanwhile. One JSON line per figure.
//
//   KUBEBUILDER_ASSETS=... node bench/trace.ts [folder of a checkout]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRealServer } from '../test/differential/real-server.ts'
import { eventually } from '../test/eventually.ts'
import { over } from '../test/operator/operated.ts'
import { furnish, makeQuota, settled, startReplicas } from './admission/places.ts'
import { podNamed } from './load.ts'

/** The look-up of a ledger, through which each read of one goes, and the decision on requests. */
const READS = /\/ledger-cache\.ts LedgerCache\.get /
const DECISIONS = / decide(?:Batch|Charges) /
/** Creates that make the program load and compile all that it needs: the last one is traced. */
const CREATES = 3

const traced = resolve(process.argv[2] ?? '.')
const folder = mkdtempSync(join(tmpdir(), 'allot-trace-'))
const file = join(folder, 'trace.json')
Object.assign(process.env, { TRACED: traced, TRACE_FILE: file, NODE_DISABLE_COMPILE_CACHE: '1' })
const traces = (): readonly string[] => readFileSync(file, 'utf8').trim().split('\n')

await using stack = new AsyncDisposableStack()
stack.defer(() => rmSync(folder, { recursive: true }))
const server = stack.use(over(await startRealServer({ controllers: 'namespace,serviceaccount,serviceaccount-token' })))
const program = fileURLToPath(new URL('trace/traced-program.ts', import.meta.url))
stack.use(await startReplicas(server, 1, [], program))
await furnish(server, 'traced')
await makeQuota(server, 'traced')
for (let count = 1; count <= CREATES; count++) {
  const { status, text } = await server.send('POST', '/api/v1/namespaces/traced/pods', podNamed(`pod-${count}`))
  if (status !== 201) throw new Error(`a pod was answered with ${status}: ${text}`)
  await settled(server)
}
const all = await eventually(
  async () => traces(),
  ({ length }) => length === CREATES,
  { what: 'the traces' },
)

const entered = JSON.parse(all.at(-1) ?? '[]') as readonly string[]
const files = entered.map((one) => one.split(' ')[0] ?? '')
const left = new Set<string>()
let returns = 0
for (const [index, name] of files.entries()) {
  const before = files[index - 1]
  if (before === undefined || before === name) continue
  left.add(before)
  if (left.has(name)) returns++
}
const print = (figure: string, count: number): void =>
  console.log(JSON.stringify({ bench: 'trace', checkout: traced, figure, count }))
const count = (pattern: RegExp): number => entered.filter((one) => pattern.test(one)).length
print('functions', new Set(entered).size)
print('files', new Set(files).size)
print('returns to a file', returns)
print('reads of the ledger', count(READS))
print('decisions', count(DECISIONS))
if (process.env['TRACE_ALL'] === '1') for (const one of entered) console.log(one)
