/** Dark, light, or as the system is: chosen by a button, kept for the next time where the browser keeps anything. */
import { effect, signal } from '@preact/signals'

export const themes = ['auto', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'theme'
export const theme = signal<Theme>(kept())

export function nextTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length]!
}

export function followTheme(): void {
  effect(() => {
    if (theme.value === 'auto') delete document.documentElement.dataset['theme']
    else document.documentElement.dataset['theme'] = theme.value
    try {
      localStorage.setItem(key, theme.value)
    } catch {
      // Not kept.
    }
  })
}

function kept(): Theme {
  try {
    return themes.find((each) => each === localStorage.getItem(key)) ?? 'auto'
  } catch {
    return 'auto'
  }
}
