/**
 * The primary's binary log as it is written: one asynchronous dump connection, of whose events only the headers and a
 * few bodies are read, and the facts that they give about each transaction. Plugins share one by
 * {@link io.understudy.plugins.binlog.BinlogFeed}. It never announces itself as a semi-synchronous replica, decodes no
 * rows, and retains nothing but the transaction in transit.
 */
@NullMarked
package io.understudy.plugins.binlog;

import org.jspecify.annotations.NullMarked;
