import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

const THEMES = ['system', 'light', 'dark'] as const
type Theme = (typeof THEMES)[number]

const isTheme = (value: string): value is Theme => THEMES.some((theme) => theme === value)

/** Light, dark, or as the system has it. */
export function ThemeSwitch() {
  const theme = useSignal<Theme>('system')
  useEffect(() => {
    document.documentElement.dataset['theme'] = theme.value
  }, [theme.value])
  return (
    <label class="theme">
      <span class="unseen">Theme</span>
      <select
        title="Theme"
        value={theme.value}
        onChange={({ currentTarget }) => {
          if (isTheme(currentTarget.value)) theme.value = currentTarget.value
        }}
      >
        <option value="system">System</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
    </label>
  )
}
