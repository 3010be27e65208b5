/**
 * The live causal check: does a standby answer a mirrored read as the primary does? Compared only where no write can
 * make the answers differ; everything else is inconclusive, with its reason.
 */
@NullMarked
package io.understudy.plugins.mirror.verify;

import org.jspecify.annotations.NullMarked;
