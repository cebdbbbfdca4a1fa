import { stringify } from 'yaml'
import { archiveName } from './archive.ts'
import { manifest } from './root.ts'

/** The manifest with which krew, the plugin manager of kubectl, installs the archives. */
export function krewManifest(
  archives: readonly { readonly platform: string; readonly sha256: string }[],
  from: string,
): string {
  const { version, description } = manifest()
  return stringify({
    apiVersion: 'krew.googlecontainertools.github.com/v1alpha2',
    kind: 'Plugin',
    metadata: { name: 'allot' },
    spec: {
      version: `v${version}`,
      shortDescription: 'Grant, count and enforce quotas',
      description: `${description}.\n`,
      platforms: archives.map(({ platform, sha256 }) => {
        const [os = '', arch = ''] = platform.split('-')
        const name = archiveName(platform)
        return {
          selector: { matchLabels: { os, arch: arch === 'x64' ? 'amd64' : arch } },
          uri: `${from}${name}.tar.gz`,
          sha256,
          files: [{ from: `${name}/*`, to: '.' }],
          bin: 'allot',
        }
      }),
    },
  })
}
