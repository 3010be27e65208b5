/**
 * The configuration file as records that validate themselves, the loader that reports every problem at once, and the
 * difference between two loaded files: what changed and what can change at run time. Imports only its own binder.
 */
@org.jspecify.annotations.NullMarked
package io.understudy.config;
