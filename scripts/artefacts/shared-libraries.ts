// The shared libraries that a program of this machine loads, and the packages that they come from.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'

export interface SharedLibrary {
  /** Where the loader looks for it. */
  readonly path: string
  readonly content: Buffer
  /** Undefined where dpkg does not know it. */
  readonly debian: DebianPackage | undefined
}

interface DebianPackage {
  readonly name: string
  readonly version: string
  readonly copyright: Buffer
}

/** Throws where the machine is no Linux with glibc. */
export function sharedLibraries(program: string): readonly SharedLibrary[] {
  const output = execFileSync('ldd', [program], { encoding: 'utf8' })
  const paths = [...output.matchAll(/(?:=> |^\s*)(\/\S+) \(0x/gm)].map(([, path = '']) => path)
  if (!paths.some((path) => /\/ld-linux[^/]*$/.test(path))) throw new Error(`ldd names no loader of glibc: ${output}`)
  return paths.toSorted().map((path) => ({ path, content: readFileSync(path), debian: debianPackage(path) }))
}

function debianPackage(path: string): DebianPackage | undefined {
  // A distribution that merged /lib into /usr/lib knows it by one of the two.
  const places = [path, realpathSync(path), realpathSync(path).replace(/^\/usr/, '')]
  const { stdout } = spawnSync('dpkg-query', ['--search', ...new Set(places)], { encoding: 'utf8' })
  const [, name] = /^([^\s:]+)(?::\S+)?: /m.exec(stdout ?? '') ?? []
  if (name === undefined) return undefined
  const copyright = `/usr/share/doc/${name}/copyright`
  if (!existsSync(copyright)) return undefined
  const version = execFileSync('dpkg-query', ['--show', '--showformat=${Version}\n', name], { encoding: 'utf8' })
  return { name, version: version.split('\n')[0] ?? '', copyright: readFileSync(copyright) }
}
