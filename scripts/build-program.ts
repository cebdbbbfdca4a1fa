// Bundles the program into a folder: `node scripts/build-program.ts FOLDER`. It then stands there as an installed package does.
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** The program, and what runs in threads of their own, found beside what starts them. */
const ENTRIES = ['src/cli/main.ts', 'src/store/log/log-worker.ts', 'src/apiserver/decoding/yaml-worker.ts']
/** Read from beside the program. */
const BESIDE = ['package.json', 'schemas']

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('say into which folder: node scripts/build-program.ts FOLDER')
const bundle = await rolldown({
  cwd: ROOT,
  platform: 'node',
  // The program is built from the sources as they are, all of them.
  treeshake: false,
  input: ENTRIES,
})
// As deep as the sources, which find the schemas two folders above.
await bundle.write({ dir: join(folder, 'dist/cli'), format: 'esm', sourcemap: true })
await bundle.close()
mkdirSync(join(folder, 'bin'))
cpSync(join(ROOT, 'bin/allot.js'), join(folder, 'bin/allot.js'))
for (const name of BESIDE) symlinkSync(join(ROOT, name), join(folder, name))
