/**
 * The primary's binary log as it is written: one asynchronous dump connection, read by its headers, and what it tells of
 * each transaction. The plugins that need it share one by {@link io.understudy.plugins.binlog.BinlogFeed}. It never announces itself as a semi-synchronous replica, decodes no
 * rows, and keeps nothing but the transaction that is passing.
 */
@NullMarked
package io.understudy.plugins.binlog;

import org.jspecify.annotations.NullMarked;
