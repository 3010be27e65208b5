/** What the tests of several plugins need: the plugin API's views without a proxy behind them. */
@NullMarked
package io.understudy.plugins.testkit;

import org.jspecify.annotations.NullMarked;
