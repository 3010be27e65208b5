/**
 * The log: a provider of SLF4J that writes each event as one line, as text or JSON, with fixed keys. SLF4J finds it by
 * the service file.
 */
@NullMarked
package io.understudy.logging;

import org.jspecify.annotations.NullMarked;
