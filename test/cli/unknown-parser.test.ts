import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { launch, temporaryDirectory } from '../start-allot.ts'

/** Takes a callback from the class of Node's HTTP parser before the program begins, as another version of Node may. */
const OTHER_PARSER = `const { createServer } = process.getBuiltinModule('node:http')
const { Socket } = process.getBuiltinModule('node:net')
const socket = new Socket()
createServer().emit('connection', socket)
delete socket.parser.constructor.kOnExecute
socket.destroy()
`
const folder = temporaryDirectory()
const changed = join(folder, 'other-parser.mjs')
const notAFolder = join(folder, 'file')
writeFileSync(changed, OTHER_PARSER)
writeFileSync(notAFolder, '')
const kubeconfig = join(folder, 'kubeconfig')
writeFileSync(
  kubeconfig,
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1', 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { token: 'none' } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  }),
)

/** The lines that a start logs about the parser. It ends then, since its data directory or its address cannot be had. */
async function logged(args: readonly string[], preloads: readonly string[]): Promise<readonly string[]> {
  const options = preloads.map((file) => `--import=${file}`).join(' ')
  const { logs, exited } = launch(args, undefined, { ...process.env, NODE_OPTIONS: options })
  expect(await exited).toBe(1)
  return logs()
    .split('\n')
    .filter((line) => line.includes('HTTP parser'))
}

test.each([
  ['allot up', ['up', '--port', '0', '--data-dir', notAFolder]],
  ['allot run', ['run', '--kubeconfig', kubeconfig, '--host', '192.0.2.1']],
])('%s warns of a Node whose HTTP parser lacks what bounds need, and of no other', async (_, args) => {
  const [line = '', ...others] = await logged(args, [changed])
  expect(others).toEqual([])
  expect(JSON.parse(line)).toMatchObject({ level: 'warn', missing: ['kOnExecute'], node: process.version })
  expect(await logged(args, [])).toEqual([])
})
