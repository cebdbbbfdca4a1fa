import { runProgram } from '../../src/cli/allot-program.ts'

/** A process that starts `allot up` in one directory after the other, each of which is to be refused: `node refused-starts.ts DIRECTORY…`. */
for (const directory of process.argv.slice(2)) {
  let stderr = ''
  const code = await runProgram(['up', '--port', '0', '--no-operator', '--data-dir', directory], {
    out: () => undefined,
    err: (text) => (stderr += text),
    environment: {},
    stop: new AbortController().signal,
  })
  process.stdout.write(`${JSON.stringify({ directory, code, stderr })}\n`)
}
