/**
 * The configuration file as records that validate themselves, the loader that reports every problem at once, what changed
 * between two loaded files and what of that can change at run time. Imports nothing of ours but its own binder.
 */
@org.jspecify.annotations.NullMarked
package io.understudy.config;
