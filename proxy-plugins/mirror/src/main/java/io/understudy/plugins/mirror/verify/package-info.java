/**
 * The live causal check: does a mirrored read have the same result on a standby as on the primary? Results are compared
 * only if no write can make them differ; all other reads are inconclusive, with their reason.
 */
@NullMarked
package io.understudy.plugins.mirror.verify;

import org.jspecify.annotations.NullMarked;
