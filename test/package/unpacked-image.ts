import { execFileSync, type SpawnOptions, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface Descriptor {
  readonly digest: string
  readonly size: number
}

/** How an image wants to be run. */
export interface ImageConfig {
  readonly architecture: string
  readonly rootfs: { readonly diff_ids: readonly string[] }
  readonly config: {
    readonly User: string
    readonly Env: readonly string[]
    readonly Entrypoint: readonly [string, ...string[]]
  }
}

export interface UnpackedImage {
  readonly root: string
  readonly config: ImageConfig
  /** The names of the image. */
  readonly names: readonly string[]
  /** How to run it with these arguments, as runtimes do: as its user, on its root, which is read-only. A folder is mounted at /mnt. */
  readonly command: (args: readonly string[], folder?: string) => readonly [string, readonly string[], SpawnOptions]
}

/** Can an image be run here? Mount namespaces are all that it takes. */
export const runsImages =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', '--propagation', 'private', 'true']).status === 0

const MOUNTED = `mount --bind "$1" "$1"
mount --rbind /proc "$1/proc"
mount --rbind /dev "$1/dev"
mount --bind "$2" "$1/mnt"
mount -o remount,bind,ro "$1"
user=$3 root=$1
shift 3
exec chroot --userspec="$user" "$root" "$@"`

/** Unpacks an OCI archive into a folder, and compares every digest in it with what it names. */
export function unpackImage(archive: string, folder: string): UnpackedImage {
  const store = join(folder, 'store')
  const root = join(folder, 'root')
  for (const made of [store, root, ...['proc', 'dev', 'mnt'].map((name) => join(root, name))]) mkdirSync(made)
  execFileSync('tar', ['-xf', archive, '-C', store])
  const blob = ({ digest, size }: Descriptor): string => {
    const file = join(store, 'blobs', digest.replace(':', '/'))
    const bytes = readFileSync(file)
    if (sha256(bytes) !== digest || bytes.length !== size) throw new Error(`${file} is not what its name says`)
    return file
  }
  const readBlob = (of: Descriptor): unknown => JSON.parse(readFileSync(blob(of), 'utf8'))
  const index = JSON.parse(readFileSync(join(store, 'index.json'), 'utf8')) as {
    readonly manifests: readonly [Descriptor & { readonly annotations: Readonly<Record<string, string>> }]
  }
  const [image] = index.manifests
  const { config: configured, layers } = readBlob(image) as {
    readonly config: Descriptor
    readonly layers: readonly Descriptor[]
  }
  const config = readBlob(configured) as ImageConfig
  for (const [place, layer] of layers.entries()) {
    const tar = execFileSync('gzip', ['-dc', blob(layer)], { maxBuffer: 1 << 30 })
    if (sha256(tar) !== config.rootfs.diff_ids[place]) throw new Error(`layer ${place} has another diff ID`)
    execFileSync('tar', ['-xf', '-', '-C', root], { input: tar })
  }
  const { User, Env, Entrypoint } = config.config
  return {
    root,
    config,
    names: Object.values(image.annotations),
    command: (args, mounted = folder) => [
      'unshare',
      ['--mount', '--propagation', 'private', 'sh', '-ec', MOUNTED, 'sh', root, mounted, User, ...Entrypoint, ...args],
      { env: { ...environmentOf(Env), PATH: `${environmentOf(Env)['PATH']}:/usr/sbin:/usr/bin:/sbin:/bin` }, cwd: '/' },
    ],
  }
}

const environmentOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))

const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`
