import { systemCode } from '../../runtime/process/startup-error.ts'
import type { ClusterAccess, PemSource } from '../access/cluster-access.ts'
import type { SystemContext } from '../time/system-context.ts'
import { KubeconfigError } from '../kubeconfig/error.ts'
import { pemOf } from '../access/pem-source.ts'
import { materialProblem, type TlsMaterial } from '../access/tls-material.ts'

const KEEP_MS = 60_000

/** Authority, certificate and key of an access, read again when their files change. */
export class TlsFiles {
  readonly #access: ClusterAccess
  readonly #context: Pick<SystemContext, 'monotonic' | 'readText'>
  #kept: { readonly material: TlsMaterial; readonly readAt: number } | undefined

  constructor(access: ClusterAccess, context: Pick<SystemContext, 'monotonic' | 'readText'>) {
    this.#access = access
    this.#context = context
  }

  /** At most a minute old. Throws KubeconfigError when the first reading gives nothing usable; later ones keep the last good. */
  current(): TlsMaterial {
    const now = this.#context.monotonic()
    const kept = this.#kept
    if (kept !== undefined && now - kept.readAt < KEEP_MS) return kept.material
    let material: TlsMaterial
    try {
      material = this.#read()
    } catch (error) {
      // A file that is just being replaced is read again with the next request but one minute.
      if (kept === undefined) throw error
      material = kept.material
    }
    this.#kept = { material, readAt: now }
    return material
  }

  /** Discards the files that were read, because they did not work: the next call reads again. */
  invalidate(): void {
    if (this.#kept !== undefined) this.#kept = { material: this.#kept.material, readAt: -Infinity }
  }

  #read(): TlsMaterial {
    const { authority, clientCertificate: pair } = this.#access
    const material: TlsMaterial = {
      ...(authority === undefined ? {} : { authority: this.#text(authority) }),
      ...(pair === undefined ? {} : { certificate: this.#text(pair.certificate), key: this.#text(pair.key) }),
    }
    const problem = materialProblem(material)
    if (problem !== undefined) {
      const message = `${this.#access.source}: the ${PARTS[problem.part]} cannot be used: ${problem.what}`
      throw new KubeconfigError('certificate-unusable', message)
    }
    return material
  }

  #text(source: PemSource): string {
    return pemOf(source, (file) => {
      try {
        return this.#context.readText(file)
      } catch (error) {
        const why = systemCode(error) || 'unknown error'
        throw new KubeconfigError('file-unreadable', `${this.#access.source}: cannot read ${file} (${why})`, {
          cause: error,
        })
      }
    })
  }
}

const PARTS = { authority: 'certificate authority', certificate: 'client certificate', key: 'client key' } as const
