import { fileURLToPath } from 'node:url'
import { houseRules, pageRules } from './scripts/house.ts'

export default {
  plugins: ['typescript', 'unicorn', 'import', 'vitest'],
  categories: {
    correctness: 'error',
    suspicious: 'error',
  },
  options: {
    typeAware: true,
  },
  rules: {
    'max-lines': [
      'error',
      {
        max: 400,
      },
    ],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/switch-exhaustiveness-check': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'typescript/no-unnecessary-type-assertion': 'error',
    'import/no-default-export': 'error',
    'import/no-unassigned-import': 'off',
    'unicorn/filename-case': [
      'error',
      {
        case: 'kebabCase',
      },
    ],
    'no-shadow': 'off',
    'no-await-in-loop': 'off',
    'no-console': 'error',
    'no-param-reassign': 'error',
    'vitest/no-standalone-expect': [
      'error',
      {
        additionalTestBlockFunctions: ['eachCase'],
      },
    ],
    'no-underscore-dangle': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'vitest/no-conditional-tests': 'off',
    'vitest/no-conditional-expect': 'off',
    'vitest/valid-title': 'off',
    'vitest/require-to-throw-message': 'off',
    'import/no-named-as-default-member': 'off',
    'import/no-named-as-default': 'off',
    'vitest/valid-expect': [
      'error',
      {
        maxArgs: 2,
      },
    ],
    'vitest/expect-expect': [
      'error',
      {
        assertFunctionNames: ['expect', 'check', 'fc.assert'],
      },
    ],
    'import/no-cycle': [
      'error',
      {
        ignoreTypes: false,
      },
    ],
  },
  overrides: [
    ...houseRules(fileURLToPath(new URL('src', import.meta.url))),
    pageRules(fileURLToPath(new URL('src', import.meta.url))),
    {
      files: ['vitest.config.ts', 'oxlint.config.ts'],
      rules: {
        'import/no-default-export': 'off',
      },
    },
    {
      // Generated.
      files: ['src/builtin/*.ts'],
      rules: {
        'max-lines': 'off',
      },
    },
    {
      files: ['bench/**', 'scripts/**', 'test/**'],
      rules: {
        'no-console': 'off',
      },
    },
    {
      files: ['**/*.test.ts', 'test/**'],
      rules: {
        'max-lines': 'off',
        'typescript/no-non-null-assertion': 'off',
        // Tests set up what they look at with any room, and have clocks.
        'no-restricted-imports': 'off',
        'no-restricted-globals': 'off',
        'no-restricted-properties': 'off',
      },
    },
  ],
  ignorePatterns: ['test/golden', 'dist'],
}
