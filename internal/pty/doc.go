// Package pty gives tests a pseudoterminal. It works on Linux.
package pty
