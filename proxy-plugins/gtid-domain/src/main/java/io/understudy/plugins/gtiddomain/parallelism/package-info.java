/**
 * Models the gain of parallel apply on a replica from the commit groups that a primary made: an upper bound for
 * comparing settings, not a forecast. Depends only on the binary log's transactions, not on the rest of the plugin.
 */
@NullMarked
package io.understudy.plugins.gtiddomain.parallelism;

import org.jspecify.annotations.NullMarked;
