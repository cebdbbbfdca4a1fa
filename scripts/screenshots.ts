// Takes the screenshots of the page for its document: each view at two widths in both themes, while the tests look for barriers. `node scripts/screenshots.ts`.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FOLDER = join(ROOT, 'docs/dashboard')
/** Debian's pngquant: a page has few colours. */
const SMALLER = ['48', '--speed', '1', '--nofs', '--force', '--ext', '.png']
/** A picture that is larger is one of something that the document does not need. */
const MOST_BYTES = 60_000

mkdirSync(FOLDER, { recursive: true })
const taken = mkdtempSync(join(tmpdir(), 'allot-screenshots-'))
const { status } = spawnSync('vitest', ['run', 'test/page/page.test.ts', '-t', 'has no barrier'], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, ALLOT_SCREENSHOTS: taken },
})
if (status !== 0) throw new Error('the views could not be shown')
const pictures = readdirSync(taken).map((name) => join(taken, name))
if (spawnSync('pngquant', [...SMALLER, ...pictures], { stdio: 'inherit' }).status !== 0)
  throw new Error('pngquant of Debian made no picture smaller')
for (const name of readdirSync(FOLDER)) if (name.endsWith('.png')) rmSync(join(FOLDER, name))
for (const name of readdirSync(taken)) {
  const { size } = statSync(join(taken, name))
  if (size > MOST_BYTES) throw new Error(`${name} has ${size} bytes`)
  copyFileSync(join(taken, name), join(FOLDER, name))
}
rmSync(taken, { recursive: true })
