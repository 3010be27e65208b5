/**
 * What parallel apply on a replica can gain from the commit groups that a primary made: a model, to be read as an upper bound
 * and to compare settings, not as a forecast. Knows the binary log's transactions and nothing of the rest of the plugin.
 */
@NullMarked
package io.understudy.plugins.gtiddomain.parallelism;

import org.jspecify.annotations.NullMarked;
