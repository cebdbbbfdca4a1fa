// An OCI image in an archive, made without a daemon: Node, the libraries that it loads, and the program. There is no shell in it.
import { join } from 'node:path'
import { nodeComponent, programEntries, sha256 } from './archive.ts'
import { nodeOf } from './node-binary.ts'
import { manifest, ROOT } from './root.ts'
import type { SbomComponent } from './sbom.ts'
import { sharedLibraries, type SharedLibrary } from './shared-libraries.ts'
import { below, packed, tarOf, type TarEntry } from './tar.ts'

const USER = 65_532
const NODE = 'usr/local/bin/node'
const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip'
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
const CONFIG = 'application/vnd.oci.image.config.v1+json'

interface Blob {
  readonly mediaType: string
  readonly bytes: Buffer
}

/** `allot:VERSION`, as the chart names it too. */
export const imageName = (): string => `${manifest().name}:${manifest().version}`
export const imageFile = (): string => `allot-${manifest().version}-image-linux-${process.arch}.tar`

/** The archive of the image for the platform of this machine, which has to be a Linux with glibc. */
export function imageArchive(program: string): { readonly archive: Buffer; readonly digest: string } {
  const node = nodeOf(`${process.platform}-${process.arch}`)
  const libraries = sharedLibraries(join(ROOT, 'node_modules', node.source, 'bin/node'))
  const system = [
    { path: NODE, mode: 0o755, content: node.binary },
    { path: 'usr/share/doc/node/copyright', mode: 0o644, content: node.license },
    ...libraries.flatMap(libraryEntries),
    ...systemEntries(),
  ]
  const parts = [nodeComponent(node), ...libraries.map(libraryComponent)]
  return ociArchive([
    system,
    programEntries(program, parts).map((entry) => ({ ...entry, path: `allot/${entry.path}` })),
  ])
}

function libraryEntries({ path, content, debian }: SharedLibrary): readonly TarEntry[] {
  const library = { path: path.slice(1), mode: 0o755, content }
  if (debian === undefined) return [library]
  return [library, { path: `usr/share/doc/${debian.name}/copyright`, mode: 0o644, content: debian.copyright }]
}

function libraryComponent({ path, content, debian }: SharedLibrary): SbomComponent {
  return {
    type: 'file',
    name: path,
    ...(debian === undefined
      ? {}
      : { version: debian.version, purl: `pkg:deb/debian/${debian.name}@${encodeURIComponent(debian.version)}` }),
    hashes: [{ alg: 'SHA-256', content: sha256(content) }],
  }
}

/** Files that libraries of the system look for. */
function systemEntries(): readonly TarEntry[] {
  const file = (path: string, text: string): TarEntry => ({ path, mode: 0o644, content: Buffer.from(text) })
  return [
    file('etc/passwd', `root:x:0:0:root:/:/none\nallot:x:${USER}:${USER}:allot:/:/none\n`),
    file('etc/group', `root:x:0:\nallot:x:${USER}:\n`),
    file('etc/nsswitch.conf', 'hosts: files dns\n'),
    // Node warns where it is missing.
    { path: 'etc/ssl/certs', mode: 0o755 },
    { path: 'tmp', mode: 0o1777 },
  ]
}

function ociArchive(contents: readonly (readonly TarEntry[])[]): { readonly archive: Buffer; readonly digest: string } {
  const layers = contents.map((entries) => {
    // A file of two libraries stands once.
    const once = [...new Map(entries.map((entry) => [entry.path, entry])).values()]
    const pieces = tarOf(below('', once))
    return { mediaType: LAYER, bytes: packed(pieces), tar: sha256(Buffer.concat(pieces)) }
  })
  const { version, description, license } = manifest()
  const config = jsonBlob(CONFIG, {
    architecture: process.arch === 'x64' ? 'amd64' : process.arch,
    os: 'linux',
    config: {
      User: `${USER}:${USER}`,
      Env: ['PATH=/usr/local/bin'],
      Entrypoint: [`/${NODE}`, '/allot/bin/allot.js'],
      WorkingDir: '/',
      Labels: {
        'org.opencontainers.image.title': 'allot',
        'org.opencontainers.image.description': description,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': license,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ tar }) => `sha256:${tar}`) },
    history: layers.map(() => ({ created_by: 'make image' })),
  })
  const image = jsonBlob(MANIFEST, {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: descriptorOf(config),
    layers: layers.map(descriptorOf),
  })
  const names = {
    'org.opencontainers.image.ref.name': imageName(),
    'io.containerd.image.name': `docker.io/library/${imageName()}`,
  }
  const index = {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [{ ...descriptorOf(image), annotations: names }],
  }
  // `docker load` reads this instead of the index.
  const loaded = [{ Config: placeOf(config), RepoTags: [imageName()], Layers: layers.map(placeOf) }]
  const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
  const entries = [
    { path: 'oci-layout', mode: 0o644, content: json({ imageLayoutVersion: '1.0.0' }) },
    { path: 'index.json', mode: 0o644, content: json(index) },
    { path: 'manifest.json', mode: 0o644, content: json(loaded) },
    ...[image, config, ...layers].map((blob) => ({ path: placeOf(blob), mode: 0o644, content: blob.bytes })),
  ]
  return { archive: Buffer.concat(tarOf(below('', entries))), digest: descriptorOf(image).digest }
}

const jsonBlob = (mediaType: string, value: unknown): Blob => ({ mediaType, bytes: Buffer.from(JSON.stringify(value)) })

const descriptorOf = ({ mediaType, bytes }: Blob) => ({
  mediaType,
  digest: `sha256:${sha256(bytes)}`,
  size: bytes.length,
})

const placeOf = ({ bytes }: Blob): string => `blobs/sha256/${sha256(bytes)}`
