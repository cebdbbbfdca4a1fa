// One build of the program for tests, the npm package, the image and the archives (docs/decisions/025-one-bundle.md).
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { bundledPackages } from './bundled-packages.ts'
import { page } from './page-build.ts'
import { manifest, ROOT } from './root.ts'
import { SBOM_FILE, sbomOf } from './sbom.ts'
import { thirdPartyText } from './third-party.ts'

/** The program, the library, and what runs in threads of their own, found beside what starts them. */
const ENTRIES = {
  'cli/main': 'src/cli/main.ts',
  'cli/log-worker': 'src/store/log/log-worker.ts',
  'cli/yaml-worker': 'src/apiserver/decoding/yaml-worker.ts',
  'sdk/index': 'src/sdk/index.ts',
}
/** Taken as they are. */
const BESIDE = ['bin', 'schemas', 'LICENSE', 'README.md']

/** Writes the program into a folder, which needs no other package then. */
export async function buildProgram(folder: string): Promise<void> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    // The program is built from the sources as they are, all of them.
    treeshake: false,
    input: ENTRIES,
  })
  const { output } = await bundle.write({
    // As deep as the sources, which find the schemas two folders above.
    dir: join(folder, 'dist'),
    format: 'esm',
    chunkFileNames: 'cli/[name]-[hash].js',
    // Their authors are named in THIRD-PARTY.txt.
    comments: false,
  })
  await bundle.close()
  const ofPage = await page(join(folder, 'dist/page'))
  const modules = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const packages = bundledPackages([...modules, ...ofPage])
  for (const name of BESIDE) cpSync(join(ROOT, name), join(folder, name), { recursive: true })
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), thirdPartyText(packages))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(), undefined, 2)}\n`)
  writeFileSync(join(folder, SBOM_FILE), sbomOf(packages))
}

/** The manifest for users: they need not install the packages that are bundled, and only a clone has the scripts. */
function publishedManifest(): object {
  const { scripts: _1, dependencies: _2, devDependencies: _3, workspaces: _4, private: _5, ...published } = manifest()
  return published
}
