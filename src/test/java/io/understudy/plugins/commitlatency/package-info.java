/** Lets the tests that need servers see each commit that the plugin has joined, one by one. */
@NullMarked
package io.understudy.plugins.commitlatency;

import org.jspecify.annotations.NullMarked;
