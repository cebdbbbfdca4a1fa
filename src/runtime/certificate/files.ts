import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { certificatesIn, isPair, isValidFor, leadsToAuthority } from './check.ts'
import { CertificateKeeper, type KeeperOptions, type ServingCertificate } from './keeper.ts'
import { StartupError } from '../process/startup-error.ts'
import { unreadableFile } from '../process/unreadable-file.ts'

/** The paths of PEM files, as cert-manager and mounted Secrets have them. */
export interface CertificateFiles {
  /** The server's certificate, with those between it and the authority behind it. */
  readonly certificate: string
  readonly key: string
  /** The authorities that callers have to trust; left out where they know. */
  readonly authority?: string
}

export interface FileKeeperOptions extends Omit<KeeperOptions, 'read' | 'everyMs'> {
  readonly files: CertificateFiles
  /** How often the files are read: what is behind a mounted path changes without a sign. */
  readonly everyMs?: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

type FileReading = Pick<FileKeeperOptions, 'files' | 'now' | 'sleep'>

const EVERY_MS = 10_000
/** Files are replaced one after the other, so those that do not fit are read once more. */
const QUIET_MS = 200

/** Uses a certificate from files and follows their changes. Throws StartupError when they cannot be used. */
export function keepCertificateFiles(options: FileKeeperOptions, signal: AbortSignal): Promise<CertificateKeeper> {
  const { everyMs = EVERY_MS } = options
  const read = (signal: AbortSignal): Promise<ServingCertificate> => readUsable(options, signal)
  return CertificateKeeper.start({ ...options, read, everyMs }, signal)
}

/** Throws StartupError when the files cannot be used. */
export async function assertCertificateFiles(options: FileReading): Promise<void> {
  await readUsable(options, new AbortController().signal)
}

async function readUsable({ files, now, sleep }: FileReading, signal: AbortSignal): Promise<ServingCertificate> {
  const first = await readFiles(files, signal)
  if (whyUnusable(files, first, now()) === undefined) return first
  await sleep(QUIET_MS, signal)
  const second = await readFiles(files, signal)
  const problem = whyUnusable(files, second, now())
  if (problem === undefined) return second
  throw new StartupError('certificate-unusable', problem)
}

async function readFiles(files: CertificateFiles, signal: AbortSignal): Promise<ServingCertificate> {
  const read = async (file: string, flag: string): Promise<string> => {
    try {
      return await readFile(file, { encoding: 'utf8', signal })
    } catch (cause) {
      throw new StartupError('certificate-unusable', unreadableFile(file, cause, flag), { cause })
    }
  }
  // One after the other, so that of several missing files always the same is named.
  const certificate = await read(files.certificate, '--tls-cert')
  const key = await read(files.key, '--tls-key')
  const bundle = files.authority === undefined ? '' : await read(files.authority, '--tls-ca')
  return { certificate, key, bundle }
}

function whyUnusable(files: CertificateFiles, read: ServingCertificate, now: number): string | undefined {
  if (certificatesIn(read.certificate).length === 0) return `the file ${files.certificate} holds no certificate`
  if (!isPair(read)) return `the file ${files.key} does not hold the key of the certificate in ${files.certificate}`
  if (!isValidFor(read.certificate, now, 0)) return `the certificate in ${files.certificate} is not valid now`
  const refusal = whyRefused(read)
  if (refusal !== undefined) return `the certificate in ${files.certificate} cannot be used (${refusal})`
  if (files.authority !== undefined && certificatesIn(read.bundle).length === 0)
    return `the file ${files.authority} holds no certificate`
  if (files.authority !== undefined && !leadsToAuthority(read.certificate, read.bundle))
    return `the certificate in ${files.certificate} was not issued by an authority in ${files.authority}`
  return undefined
}

/** Not every pair may be presented, such as one with a key that is too short. */
function whyRefused({ certificate, key }: ServingCertificate): string | undefined {
  try {
    createSecureContext({ cert: certificate, key })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
