/**
 * The log of the black box: append-only files that survive the process. Written by one thread
 * ({@link io.understudy.plugins.blackbox.log.TransactionLog}), read at its start and by commands while the proxy is
 * down. docs/black-box-format.md describes the files.
 */
@NullMarked
package io.understudy.plugins.blackbox.log;

import org.jspecify.annotations.NullMarked;
