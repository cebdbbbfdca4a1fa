import { AdvisingError } from '../../machinery/advising-error.ts'

/** The errors that keep a process from starting, each with its remedy. */
const ADVICE = {
  'port-taken': 'stop the other process or choose another with --port',
  'port-forbidden': 'choose one above 1023 with --port',
  'host-unusable': 'choose another with --host',
  'directory-unusable': 'choose another with --data-dir',
  'directory-in-use': 'stop that process first or choose another directory with --data-dir',
  'identity-damaged':
    'restore it from a backup, or move ca.crt, ca.key, server.crt, server.key, service-account.key and admin.token away to get new ones; nothing was changed',
  'kubeconfig-foreign': 'choose another file with --kubeconfig; nothing was changed',
  'configuration-unusable': 'mend the file or start without it',
  'kubeconfig-unwritable': 'choose another file with --kubeconfig',
  'certificate-unusable': 'mend the files that --tls-cert, --tls-key and --tls-ca name, or start without these flags',
  'client-authority-unusable': 'mend the file that --webhook-client-ca names, or start without this flag',
  'newer-format': 'run the version that wrote it, or a later one; nothing was changed',
  'secret-foreign': 'delete it if nobody needs it, or choose another namespace with --system-namespace',
  'webhook-address-missing': 'name its way here with --webhook-url, or with --webhook-service inside a cluster',
  'crds-missing': 'have them installed (config/crd), or start with --crds=apply',
  'access-missing': 'grant it to the account of the kubeconfig; docs/reference/allot-run.md lists all that is needed',
  'server-too-old': 'allot runs against Kubernetes 1.20 and newer',
  'other-operator-alive': 'stop it first: two programs that grant from the same pools would overwrite each other',
} as const

export type StartupErrorCode = keyof typeof ADVICE

/** The process cannot start. */
export class StartupError extends AdvisingError {
  readonly code: StartupErrorCode
  /** `flag`: what port or host were given with, where it is another than the advice names. */
  constructor(code: StartupErrorCode, message: string, options?: ErrorOptions & { readonly flag?: string }) {
    const advice = ADVICE[code]
    super(message, options?.flag === undefined ? advice : advice.replace(/--(?:port|host)$/, options.flag), options)
    this.code = code
  }
}

/** The `code` of an error of the system (`ENOENT`, `EADDRINUSE`, …); empty for any other error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
