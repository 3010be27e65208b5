/** Exposes each commit that the plugin has joined to the tests that need servers. */
@NullMarked
package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.NullMarked;
