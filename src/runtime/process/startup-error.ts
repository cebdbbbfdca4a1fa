import { CodedError, type ErrorHelp } from '../../machinery/coded-error.ts'

/**
 * The errors that keep a process from starting, each with its remedy.
 *
 * @public for the reference of errors
 */
export const STARTUP_ERRORS = {
  'port-taken': {
    meaning: 'Another process listens on the port.',
    advice: 'stop the other process or choose another with --port',
  },
  'port-forbidden': {
    meaning: 'The port is one that only privileged processes may use.',
    advice: 'choose one above 1023 with --port',
  },
  'host-unusable': {
    meaning: 'The address is not one of this machine.',
    advice: 'choose another with --host',
  },
  'directory-unusable': {
    meaning: 'The data directory cannot be made, read or written.',
    advice: 'choose another with --data-dir',
  },
  'directory-in-use': {
    meaning: 'Another process of allot runs on the data directory.',
    advice: 'stop that process first or choose another directory with --data-dir',
  },
  'identity-damaged': {
    meaning: 'A certificate, a key or the token in the data directory cannot be read, or they do not belong together.',
    advice:
      'restore it from a backup, or move ca.crt, ca.key, server.crt, server.key, service-account.key and admin.token away to get new ones; nothing was changed',
  },
  'kubeconfig-foreign': {
    meaning: 'The file for the kubeconfig exists and is not one that allot wrote.',
    advice: 'choose another file with --kubeconfig; nothing was changed',
  },
  'configuration-unusable': {
    meaning: 'A file that a flag names cannot be read, or has mistakes.',
    advice: 'mend the file or start without it',
  },
  'kubeconfig-unwritable': {
    meaning: 'The kubeconfig cannot be written.',
    advice: 'choose another file with --kubeconfig',
  },
  'certificate-unusable': {
    meaning: 'The certificate, the key or the authority of the webhooks cannot be used.',
    advice: 'mend the files that --tls-cert, --tls-key and --tls-ca name, or start without these flags',
  },
  'client-authority-unusable': {
    meaning: 'The authority of the callers of the webhooks cannot be used.',
    advice: 'mend the file that --webhook-client-ca names, or start without this flag',
  },
  'newer-format': {
    meaning: 'A newer version of allot wrote what is stored.',
    advice: 'run the version that wrote it, or a later one; nothing was changed',
  },
  'secret-foreign': {
    meaning: 'The Secret for the certificate or a key of allot exists and holds something else.',
    advice: 'delete it if nobody needs it, or choose another namespace with --system-namespace',
  },
  'webhook-address-missing': {
    meaning: 'API servers do not know where to reach the webhooks.',
    advice: 'name its way here with --webhook-url, or with --webhook-service inside a cluster',
  },
  'crds-missing': {
    meaning: 'The API server lacks CRDs of allot, and allot was told not to install them.',
    advice: 'have them installed (config/crd), or start with --crds=apply',
  },
  'access-missing': {
    meaning: 'The account of allot lacks permissions.',
    advice: 'grant it to the account of the kubeconfig; docs/reference/allot-run.md lists all that is needed',
  },
  'server-too-old': {
    meaning: 'The API server is older than allot supports.',
    advice: 'allot runs against Kubernetes 1.20 and newer',
  },
  'other-operator-alive': {
    meaning: 'Another program grants from the same pools.',
    advice: 'stop it first: two programs that grant from the same pools would overwrite each other',
  },
} as const satisfies Readonly<Record<string, ErrorHelp>>

export type StartupErrorCode = keyof typeof STARTUP_ERRORS

/** The process cannot start. */
export class StartupError extends CodedError<StartupErrorCode> {
  /** `flag`: what port or host were given with, where it is another than the advice names. */
  constructor(code: StartupErrorCode, message: string, options: ErrorOptions & { readonly flag?: string } = {}) {
    const { flag, ...others } = options
    const advice = flag === undefined ? undefined : STARTUP_ERRORS[code].advice.replace(/--(?:port|host)$/, flag)
    super(STARTUP_ERRORS, code, message, { ...others, advice })
  }
}

/** The `code` of an error of the system (`ENOENT`, `EADDRINUSE`, …); empty for any other error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
