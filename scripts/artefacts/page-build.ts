// The page of the dashboard: its start page, and assets whose names change with their content.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { rolldown } from 'rolldown'
import { ROOT } from './root.ts'

const SOURCES = join(ROOT, 'web/src')
/** Styles that come with a package. */
const FOREIGN_STYLES = ['node_modules/uplot/dist/uPlot.min.css']
const ENTRY = 'page.js'

/** Writes the page into a folder, whole or not at all. Gives the modules that it holds. */
export async function page(folder: string): Promise<readonly string[]> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'browser',
    tsconfig: join(ROOT, 'web/tsconfig.json'),
    input: { page: join(SOURCES, 'main.tsx') },
  })
  const unfinished = `${folder}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  const { output } = await bundle.write({
    dir: join(unfinished, 'assets'),
    format: 'esm',
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    // Their authors are named in THIRD-PARTY.txt.
    comments: false,
  })
  await bundle.close()
  const chunks = output.flatMap((file) => (file.type === 'chunk' ? [file] : []))
  const script = chunks.find(({ isEntry }) => isEntry)?.fileName
  if (script === undefined) throw new Error('the page has no script')
  const foreign = FOREIGN_STYLES.map((file) => readFileSync(join(ROOT, file), 'utf8'))
  const styles = smaller([readFileSync(join(SOURCES, 'page.css'), 'utf8'), ...foreign].join('\n'))
  const named = {
    [ENTRY]: script,
    'page.css': written(unfinished, 'page.css', styles),
    'icon.svg': written(unfinished, 'icon.svg', readFileSync(join(SOURCES, 'icon.svg'), 'utf8')),
  }
  const start = readFileSync(join(SOURCES, 'index.html'), 'utf8')
  writeFileSync(join(unfinished, 'index.html'), withNames(start, named))
  mkdirSync(dirname(folder), { recursive: true })
  rmSync(folder, { recursive: true, force: true })
  renameSync(unfinished, folder)
  return [...chunks.flatMap(({ moduleIds }) => moduleIds), ...FOREIGN_STYLES.map((file) => join(ROOT, file))]
}

/** Writes an asset under a name that changes with its content. */
function written(folder: string, name: string, text: string): string {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 8)
  const extension = extname(name)
  const unique = `${basename(name, extension)}-${hash}${extension}`
  writeFileSync(join(folder, 'assets', unique), text)
  return unique
}

function withNames(html: string, named: Readonly<Record<string, string>>): string {
  return html.replaceAll(/\/assets\/([\w.]+)/g, (_, name: string) => {
    const unique = named[name]
    if (unique === undefined) throw new Error(`the start page names ${name}, which is not built`)
    return `/assets/${unique}`
  })
}

/** Without comments and indentation. */
const smaller = (css: string): string =>
  css
    .replaceAll(/\/\*[^]*?\*\//g, '')
    .replaceAll(/\n\s*/g, '\n')
    .trim()
